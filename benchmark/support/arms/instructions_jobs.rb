# frozen_string_literal: true

# instructions_jobs.rb COUNT TOOL...: runs so many empty jobs of Sidekiq through each tool's middleware, in
# forked processes, without Redis. Prints which they are.

require "json"
require "sidekiq"
require "sidekiq/launcher"
require "forked"
require "tools"

class EmptyJob
  include Sidekiq::Job

  def perform = nil
end

# As Sidekiq takes it from Redis.
JOB = {"retry" => true, "queue" => "default", "args" => [], "class" => "EmptyJob",
       "jid" => "0af7651916cd43dd8448eb21", "created_at" => 1_790_000_000_000,
       "enqueued_at" => 1_790_000_000_001}.freeze
WARM_UP = 100

run = lambda do |capsule, times|
  times.times do
    instance = EmptyJob.new
    capsule.server_middleware.invoke(instance, JOB, "default") { instance.perform }
  end
end

count = ARGV.shift.to_i
tools = ARGV.to_h { |name| [name, Bench::Tools.find(name)] }
pids = tools.transform_values do |tool|
  Bench::Forked.steps(count) do |times|
    tool.start
    tool.settle
    config = Sidekiq.default_configuration
    config.logger = Logger.new(File::NULL)
    tool.jobs(config)
    tool.launched(Sidekiq::Launcher.new(config, embedded: true))
    Thread.current[:sidekiq_capsule] = config.default_capsule
    run.call(config.default_capsule, WARM_UP + times)
  end
end
puts JSON.generate(pids)
