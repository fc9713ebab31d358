# frozen_string_literal: true

require_relative "holdup/base"
# The files of another copy of Holdup are loaded already, and base.rb has reported that.
return unless File.join(__dir__, "holdup") == Holdup::FOLDER

# Puma's plugin loads the base before there is any Rails; the Gemfile's `require "holdup"` then still finds
# this to do.
require_relative "holdup/agent/rails" if defined?(::Rails::Railtie)
