#!/bin/sh
# A breadth-first crawler of curl, grep and sed: crawler.sh SEEDS_FILE PAGES
# It knows nothing of robots.txt, frames, and links that are relative to a folder.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$1" "$folder/queue"
fetched=0
while [ "$fetched" -lt "$2" ] && [ "$fetched" -lt "$(wc -l < "$folder/queue")" ]; do
  fetched=$((fetched + 1))
  address=$(sed -n "${fetched}p" "$folder/queue")
  curl -s --max-time 20 "$address" > "$folder/page" || continue
  host=$(echo "$address" | cut -d / -f 1-3)
  grep -ao 'href="[^"<> ]*"' "$folder/page" | cut -d '"' -f 2 | sed "s#^/#$host/#" \
    | grep '^http://[a-z0-9][a-z0-9.-]*/' > "$folder/links" || true
  while read -r link; do
    grep -qxF -- "$link" "$folder/queue" || echo "$link" >> "$folder/queue"
  done < "$folder/links"
done
echo "$fetched addresses requested"
