#!/bin/sh
set -eu
./restart
sleep 30
