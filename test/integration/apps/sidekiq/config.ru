# frozen_string_literal: true

# A web application that runs Sidekiq inside of its server's process.
require "holdup"
require "sidekiq"
require_relative "classes"

Holdup.start

run do |env|
  PlainJob.perform_async if env["PATH_INFO"] == "/push"
  [200, {"content-type" => "text/plain"}, ["done"]]
end
