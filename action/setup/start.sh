#!/usr/bin/env bash
# Starts a server that runs until the job ends, waits until it is ready, and passes its address and key to the next steps.
set -euo pipefail

# Includes the download of the package.
READY_SECONDS=120

folder="$RUNNER_TEMP/mailhatch"
log="$folder/log"
mkdir -p "$folder"
# The file exists before the first look into it.
: > "$log"
# Another command is for tests of this script.
read -ra mailhatch <<< "${SETUP_COMMAND:-npx --yes mailhatch@$SETUP_VERSION}"

# Commands find the server and its key in this folder, unless the job names another server.
unset MAILHATCH_URL MAILHATCH_API_KEY MAILHATCH_SMTP
export MAILHATCH_DATA_DIR="$folder/data"
catch_all=
if [ "$SETUP_CATCH_ALL" = true ]; then catch_all=bootstrap; fi
# With the prefix, because the plain names may belong to the app of the job.
MAILHATCH_PORT="$SETUP_PORT" MAILHATCH_SMTP_PORT="$SETUP_SMTP_PORT" MAILHATCH_WORKER_PORT=0 MAILHATCH_INBOX_CATCH_ALL="$catch_all" \
  nohup "${mailhatch[@]}" serve > "$log" 2>&1 < /dev/null &
server=$!
echo "$server" > "$folder/pid"

# The server's own line, because another server could answer on a port that is in use.
for ((waited = 0; waited < READY_SECONDS * 5; waited++)); do
  if grep -q '^Mailhatch is ready' "$log" || ! kill -0 "$server" 2> /dev/null; then break; fi
  sleep 0.2
done
if ! grep -q '^Mailhatch is ready' "$log"; then
  echo "::error::Mailhatch did not start. Its log:"
  cat "$log"
  kill "$server" 2> /dev/null || true
  exit 1
fi

values=$("${mailhatch[@]}" status -o env)
valueOf() { sed -n "s/^$1=//p" <<< "$values"; }
echo "::add-mask::$(valueOf MAILHATCH_API_KEY)"
echo "$values" >> "$GITHUB_ENV"
{
  echo "url=$(valueOf MAILHATCH_URL)"
  echo "smtp-port=$(valueOf MAILHATCH_MAIL_PORT)"
  echo "domain=$(valueOf MAILHATCH_DOMAIN)"
  echo "log=$log"
} >> "$GITHUB_OUTPUT"
echo "Mailhatch is ready at $(valueOf MAILHATCH_URL), SMTP on port $(valueOf MAILHATCH_MAIL_PORT)."
