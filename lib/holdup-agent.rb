# frozen_string_literal: true

# Bundler requires the name of the gem.
require_relative "holdup"
