# frozen_string_literal: true

# For Bundler, which requires the name of the gem.
require_relative "holdup"
