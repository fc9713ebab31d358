#!/usr/bin/env falcon-host
# frozen_string_literal: true

require "holdup"
Holdup.start

require "falcon/environment/rack"

rackup = File.expand_path("../config.ru", __dir__) # inside of the block, __dir__ is another one's

service "storefront" do
  include Falcon::Environment::Server
  include Falcon::Environment::Rackup

  rackup_path rackup
  url "http://127.0.0.1:#{ENV.fetch("PORT", 9300)}"
  count ENV.fetch("STOREFRONT_WORKERS", 2).to_i
end
