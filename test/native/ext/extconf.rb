# frozen_string_literal: true

require "mkmf"
$CFLAGS << " -std=gnu11 -O2"
create_makefile("gvl_work")
