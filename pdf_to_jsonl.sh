#!/usr/bin/env bash
# A book in, chapters out: ./pdf_to_jsonl.sh BOOK.pdf|BOOK.epub OUT.jsonl [options]
# Finds its own folder through links, sets up its environment on first use, then runs all four stages in one process.
set -euo pipefail

script=${BASH_SOURCE[0]}
while [[ -L $script ]]; do
  folder=$(cd -P -- "$(dirname -- "$script")" && pwd)
  script=$(readlink -- "$script")
  [[ $script == /* ]] || script=$folder/$script
done
home=$(cd -P -- "$(dirname -- "$script")" && pwd)
venv=$home/.venv

usage() {
  cat <<'TEXT'
usage: pdf_to_jsonl.sh BOOK.pdf|BOOK.epub|BOOK.md OUT.jsonl [options]

Extracts, cleans and splits a book: one {"text": …} a chapter in OUT.jsonl, the intermediates beside it.

  --start HEADING   first heading of the body, inclusive
  --end HEADING     first heading after the body, exclusive
  --pattern REGEX   headings that open a record, where chapters are not marked by size or tag
  --expect N        fail unless there are exactly N records
  --help            all options

example:
  ./pdf_to_jsonl.sh book.epub out.jsonl --start 'Chapter 1' --end Index --expect 12
TEXT
}

# The first Python of version 3.11 or newer on the path.
find_python() {
  local name
  for name in python3.13 python3.12 python3.11 python3 python; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  echo "pdf_to_jsonl.sh: needs Python 3.11 or newer on the path; install one and run again" >&2
  return 1
}

# Somebody else's set-up is waited for; one that was interrupted leaves its marker, with the id of a process that is
# gone, and is started afresh. An environment without the marker that only lacks us is added to, not cleared.
set_up() {
  local python marker=$venv/.setting-up clear=()
  if [[ -e $marker ]] && kill -0 "$(<"$marker")" 2>/dev/null; then
    echo "pdf_to_jsonl.sh: waiting for another set-up of $venv" >&2
    while [[ -e $marker ]] && kill -0 "$(<"$marker")" 2>/dev/null; do sleep 1; done
    ! is_ready || return 0
  fi
  python=$(find_python)
  echo "pdf_to_jsonl.sh: first use: setting up $venv (once, about a minute)" >&2
  [[ ! -e $marker ]] || clear=(--clear)
  mkdir -p -- "$venv"
  echo "$$" >"$marker"
  "$python" -m venv ${clear[@]+"${clear[@]}"} -- "$venv" >&2
  echo "$$" >"$marker"
  if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "$home" >&2; then
    echo "pdf_to_jsonl.sh: could not install into $venv (see above); run again to retry" >&2
    return 1
  fi
  rm -f -- "$marker"
}

# pip writes the command last, so it is there only after an installation that went through.
is_ready() {
  [[ ! -e $venv/.setting-up && -x $venv/bin/bookblend ]]
}

if (($# == 0)); then
  usage
  exit 2
fi
is_ready || set_up
# -P: modules come from the environment, never from the folder the caller stands in.
exec "$venv/bin/python" -P -X utf8 -m bookblend books onboard "$@"
