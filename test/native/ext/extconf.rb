# frozen_string_literal: true

require "mkmf"
append_cflags(%w[-std=gnu11 -O2])
create_makefile("gvl_work")
