{% extends "script.sh" %}
{% set prefix, submit, tells_tasks = "#flux:", "flux batch THIS-FILE", false %}
{% block directives %}
#flux: --job-name={{ name }}
#flux: --nodes={{ nodes }}
#flux: --nslots={{ ranks }}
#flux: --time-limit={{ minutes }}m
#flux: --output={{ name }}-{{ "{{id}}" }}.out
{% endblock %}
{% block several %}
# Flux has no array of which one job runs at a time: submit it {{ jobs }} times, each after the one before:
#   job=$(flux batch THIS-FILE)
#   for launch in $(seq 2 {{ jobs }}); do job=$(flux batch --dependency=afterany:$job THIS-FILE); done
{% endblock %}
