#!/usr/bin/env falcon-host
# frozen_string_literal: true

unless ENV["WITHOUT_HOLDUP"]
  require "holdup"
  Holdup.start
end

require "falcon/environment/rack"

service "plain" do
  include Falcon::Environment::Server
  include Falcon::Environment::Rackup

  url "http://127.0.0.1:#{ENV.fetch("PORT")}"
  count ENV.fetch("WORKERS", "2").to_i # as the tests want it
end
