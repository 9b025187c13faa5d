#!/bin/sh
{% block directives %}
{% endblock %}
{% for directive in directives %}
{{ prefix }} {{ directive }}
{% endfor %}
# A campaign of Groma. Submit it with: {{ submit }}
{% if jobs > 1 %}
# Each job makes one launch, so the {{ jobs }} launches may be hours apart and on different nodes.
{% block several %}
# It is an array of {{ jobs }} jobs of which one runs at a time.
{% endblock %}
{% endif %}
# Submitted again, it continues a run that ended early; after a complete one it makes another.
cd {{ folder }} || exit
{% for name, value in variables %}
export {{ name }}={{ value }}
{% endfor %}
exec {{ measuring }}{{ " -n " ~ ranks if not states_ranks and (ranks == 1 or not tells_tasks) }}
