#!/usr/bin/env bash
# Sahara turns a run that has succeeded into a killed one when its cluster is deleted, and writes the end in local time.
#
# Versions   sahara 16.0.0 with SQLAlchemy 1.4.54, oslo.db 17.4.0 and jsonschema 3.2.0, with Python 3, on SQLite in memory, in the zone of Tokyo
# Input      a run that an engine has reported as SUCCEEDED without setting end_time, as the engine of the plugin fake does; then what
#            the deletion of a cluster does to its runs
# Expected   the run stays SUCCEEDED; created_at and end_time are seconds apart
# Seen       the run is KILLED, has no cluster_id any more, and end_time is nine hours after created_at: created_at is in UTC, end_time
#            (as start_time) in the zone of the host
# Meaning    Keep the first final status that you see. Do not subtract times of a run, or compare them with the clock of the client.
#
# PYTHON can name an interpreter that has the packages. Otherwise they are installed in a temporary folder.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${PYTHON:-}" ]; then
  python3 -m venv "$work/venv"
  PYTHON=$work/venv/bin/python
  "$PYTHON" -m pip install --quiet --disable-pip-version-check sahara==16.0.0 setuptools==65.5.0 SQLAlchemy==1.4.54 oslo.db==17.4.0 \
    alembic==1.19.2 oslo.messaging==18.3.1 oslo.serialization==5.11.0 oslo.utils==10.2.0 oslo.config==10.7.0 oslo.policy==6.0.1
  # Sahara 16 was written for this one; a package that it does not use here asks for a later one.
  "$PYTHON" -m pip install --quiet --disable-pip-version-check --no-deps jsonschema==3.2.0
fi

cat > "$work/runs.py" <<'PY'
import sys
import uuid
from datetime import datetime

from oslo_config import cfg

from sahara import conductor, context
from sahara.db import api as db_api
from sahara.service import engine

cfg.CONF(['--config-file', sys.argv[1]], project='sahara')
db_api.setup_db()
ctx = context.Context(user_id='u', tenant_id='t', auth_token='x', service_catalog=[], is_admin=True)
context.set_ctx(ctx)
api = conductor.API

cluster = api.cluster_create(ctx, {'name': 'c', 'plugin_name': 'fake', 'hadoop_version': '0.1', 'tenant_id': 't'})
job = api.job_create(ctx, {'name': 'j', 'type': 'Shell', 'tenant_id': 't', 'mains': [], 'libs': []})
made = api.job_execution_create(ctx, {'id': str(uuid.uuid4()), 'job_id': job.id, 'cluster_id': cluster.id, 'tenant_id': 't',
                                      'info': {'status': 'PENDING'}})
api.job_execution_update(ctx, made, {'info': {'status': 'SUCCEEDED'}})


def show(when):
    run = api.job_execution_get(ctx, made.id)
    ended, created = (value and datetime.fromisoformat(str(value)) for value in (run.end_time, run.created_at))
    hours = None if ended is None else round((ended - created).total_seconds() / 3600)
    print(f"{when}: status {run.info['status']}, of a cluster {run.cluster_id is not None}, hours from created_at to end_time {hours}")


show('before')


class Deletion(engine.Engine):
    """The part of every engine that removes the rows of a cluster."""
    create_cluster = scale_cluster = shutdown_cluster = get_type_and_version = None
    rollback_cluster = get_node_group_image_username = recreate_cluster = None


Deletion()._clean_job_executions(cluster)
show('after')
PY
printf '[DEFAULT]\nplugins=\ntransport_url=fake://\n[database]\nconnection=sqlite://\n' > "$work/conf"
TZ=Asia/Tokyo "$PYTHON" -W ignore "$work/runs.py" "$work/conf" > "$work/seen" 2> "$work/errors" || { tail -5 "$work/errors" >&2; exit 1; }

cat > "$work/known" <<'TEXT'
before: status SUCCEEDED, of a cluster True, hours from created_at to end_time None
after: status KILLED, of a cluster False, hours from created_at to end_time 9
TEXT
cat "$work/seen"
diff "$work/known" "$work/seen" || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
