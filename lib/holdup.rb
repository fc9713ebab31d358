# frozen_string_literal: true

require_relative "holdup/base"
# Puma's plugin loads the base before there is any Rails; the Gemfile's `require "holdup"` then still finds
# this to do.
require_relative "holdup/agent/rails" if defined?(::Rails::Railtie)
