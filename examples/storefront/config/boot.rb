# frozen_string_literal: true

# The repository's own Gemfile carries what this app needs.
ENV["BUNDLE_GEMFILE"] ||= File.expand_path("../../../Gemfile", __dir__)
require "bundler/setup"
