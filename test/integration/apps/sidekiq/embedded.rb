# frozen_string_literal: true

# A script that embeds Sidekiq, and starts Holdup when that runs already.
require "holdup"
require "sidekiq"
require_relative "classes"

$stdout.sync = true
signals = Queue.new
trap(:TERM) { signals.push(:stop) }

sidekiq = Sidekiq.configure_embed { |config| config.concurrency = 2 }
sidekiq.run
Holdup.start
PlainJob.perform_async
signals.pop
sidekiq.stop
