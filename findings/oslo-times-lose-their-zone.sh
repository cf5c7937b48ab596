#!/usr/bin/env bash
# oslo.serialization writes the time of a zone without the zone, and without converting it to UTC.
#
# Versions   oslo.serialization 5.11.0 and oslo.utils 10.2.0, with Python 3
# Input      the same instant as a datetime in UTC, in UTC+02:00 and in UTC-05:00
# Expected   texts that name one instant, as datetime.isoformat() writes them
# Seen       three different texts without a zone. oslo.utils, which services use to read such texts, takes each for UTC, so
#            that one of them is seven hours from another.
# Meaning    A time in the answer of a service of OpenStack tells its instant only to those who know that the service
#            keeps all its times in UTC. Measure durations with the clock of the client.
#
# PYTHON can name an interpreter that has both packages. Otherwise they are installed in a temporary folder.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${PYTHON:-}" ]; then
  python3 -m venv "$work/venv"
  PYTHON=$work/venv/bin/python
  "$PYTHON" -m pip install --quiet --disable-pip-version-check oslo.serialization==5.11.0 oslo.utils==10.2.0
fi

cat > "$work/times.py" <<'PY'
from datetime import datetime, timedelta, timezone

from oslo_serialization import jsonutils
from oslo_utils import timeutils

instant = datetime(2026, 1, 1, 12, 0, tzinfo=timezone.utc)
for hours in (0, 2, -5):
    local = instant.astimezone(timezone(timedelta(hours=hours)))
    text = jsonutils.loads(jsonutils.dumps(local))
    drift = timeutils.parse_isotime(text) - instant
    print(f"{local.isoformat()} is written as {text}, which is read {drift.total_seconds() / 3600:+.0f} h off")
PY
TZ=UTC "$PYTHON" "$work/times.py" > "$work/seen"

cat > "$work/known" <<'TEXT'
2026-01-01T12:00:00+00:00 is written as 2026-01-01T12:00:00.000000, which is read +0 h off
2026-01-01T14:00:00+02:00 is written as 2026-01-01T14:00:00.000000, which is read +2 h off
2026-01-01T07:00:00-05:00 is written as 2026-01-01T07:00:00.000000, which is read -5 h off
TEXT
cat "$work/seen"
diff "$work/known" "$work/seen" || { echo 'the behavior has changed: update this finding' >&2; exit 1; }
