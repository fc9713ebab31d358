# frozen_string_literal: true

require "holdup/agent/child_environment"

module Bench
  # The Rubies that a bench is run with, beside the one that runs it.
  module Rubies
    # @return [Hash{String => Hash}] version => options of Fresh; without the second Ruby only ours
    def self.all
      cache, version = ENV.values_at("HOLDUP_CACHE", "HOLDUP_SECOND")
      path = "#{cache}/ruby-#{version}/bin/ruby"
      return {RUBY_VERSION => {}} unless version && version != RUBY_VERSION && File.executable?(path)
      others = {"RUBYOPT" => "-rbundler/setup", "BUNDLE_PATH" => "#{cache}/gems/ruby-#{version}"}
      env = Holdup::ChildEnvironment.new(ENV).other_bundle(ENV.fetch("BUNDLE_GEMFILE")).with(others).to_h
      {RUBY_VERSION => {}, version => {ruby: path, env:}}
    end
  end
end
