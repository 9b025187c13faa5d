{% extends "script.sh" %}
{% set prefix, submit, tells_tasks = "#SBATCH", "sbatch THIS-FILE", true %}
{% block directives %}
#SBATCH --job-name={{ name }}
#SBATCH --nodes={{ nodes }}
#SBATCH --ntasks-per-node={{ ppn }}
#SBATCH --time={{ clock }}
#SBATCH --signal=B:USR1@{{ warning_s }}
{% if jobs == 1 %}
#SBATCH --output={{ name }}-%j.out
{% else %}
#SBATCH --output={{ name }}-%A-%a.out
#SBATCH --array=1-{{ jobs }}%1
{% endif %}
{% endblock %}
