# frozen_string_literal: true

# A Rails application whose collector is a thread: prints what its block and the subscriber of Rails.error get
# when the store says that requests wait for the GVL.
require "json"
require "rails"
require "holdup"

BLOCK = Queue.new
ERRORS = Queue.new

class ToldApp < Rails::Application
  config.root = ENV.fetch("APP_ROOT")
  config.load_defaults Rails::VERSION::STRING.to_f
  config.eager_load = false
  config.secret_key_base = "x" * 64
  config.logger = Logger.new(IO::NULL)
  config.holdup.collector = :thread
  config.holdup.notify = {rails_error: true, block: ->(message) { BLOCK << message }, rules: [:stall],
                          stall: 0.1}
end

# What trackers of errors do.
class Subscriber
  def report(error, handled:, severity:, context:, source: nil)
    ERRORS << {error: error.class.name, text: error.message, handled:, severity:, rule: context[:rule],
               source:}
  end
end

ToldApp.initialize!
Rails.error.subscribe(Subscriber.new)
Holdup.start
patience_s = Integer(ENV.fetch("PATIENCE_S"))
message = BLOCK.pop(timeout: patience_s)
error = ERRORS.pop(timeout: patience_s)
puts JSON.generate(block: message&.to_h, error:)
