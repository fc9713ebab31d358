# frozen_string_literal: true

ENV["BUNDLE_GEMFILE"] ||= File.expand_path("../../../../../gemfiles/common_gems.gemfile", __dir__)
require "bundler/setup"
require "bootsnap/setup"
