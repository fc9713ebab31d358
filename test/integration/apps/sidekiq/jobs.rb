# frozen_string_literal: true

# What a Sidekiq process of the tests loads (-r ./jobs.rb). Its jobs tell Redis what they did.
require "holdup" unless ENV["WITHOUT_HOLDUP"]
require "sidekiq"
require_relative "classes"
require_relative "configuration"

Holdup.start unless ENV["WITHOUT_HOLDUP"]
