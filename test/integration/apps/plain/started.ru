# frozen_string_literal: true

# An application that starts Holdup itself; the server's own configuration does not know it.
require "holdup"
Holdup.start
use Holdup::Instrumentation::Rack, Holdup.requests if ENV["NAME_THE_MIDDLEWARE"]
run Rack::Builder.parse_file(File.expand_path("config.ru", __dir__))
