{% extends "script.sh" %}
{% set prefix, submit, tells_tasks = "#PBS", "qsub THIS-FILE", true %}
{% block directives %}
#PBS -N {{ short_name }}
#PBS -l select={{ nodes }}:ncpus={{ ppn }}:mpiprocs={{ ppn }}
#PBS -l walltime={{ clock }}
#PBS -j oe
{% if jobs > 1 %}
#PBS -J 1-{{ jobs }}%1
{% endif %}
{% endblock %}
