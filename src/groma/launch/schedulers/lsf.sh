{% extends "script.sh" %}
{% set prefix, submit, tells_tasks = "#BSUB", "bsub < THIS-FILE", true %}
{% block directives %}
{% if jobs == 1 %}
#BSUB -J {{ name }}
{% else %}
#BSUB -J "{{ name }}[1-{{ jobs }}]%1"
{% endif %}
#BSUB -n {{ ranks }}
#BSUB -R "span[ptile={{ ppn }}]"
#BSUB -W {{ hours_minutes }}
#BSUB -wa USR1
#BSUB -wt {{ warning_s // 60 }}
#BSUB -o {{ name }}-{{ "%J" if jobs == 1 else "%J-%I" }}.out
{% endblock %}
