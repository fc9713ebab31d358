# frozen_string_literal: true

require "test_helper"
require "contracts/job_worker_contract"

# A real Kicks (Sneakers) on a real RabbitMQ, in an application with Active Job and with workers of its own:
# a process that forks two which take messages.
class SneakersIntegrationTest < Minitest::Test
  include JobWorkerContract
  include TemporaryFolder

  one_ruby

  # The broker alone knows what waits, the process table has no sign of Sneakers, and Kicks' workers outlive a
  # killed parent, with and without Holdup.
  undef_method :test_says_how_many_jobs_wait_and_for_how_long
  undef_method :test_the_process_table_tells_whether_a_worker_is_measured
  undef_method :test_the_store_has_each_job_once_after_a_kill

  CLASSES = %w[MailsWorker ReportsWorker UrgentWorker PlainJob BrokenPlainJob RequeuedJob HeldJob].join(",")
  WORK = [*ServedApp::BUNDLED, "sneakers", "work", CLASSES, "--require", "config/environment.rb"].freeze
  # The one that forks, and those that work.
  PROCESSES = 3
  WORKERS = 2

  def exec_gems = %w[rails pg kicks].to_h { |name| [name, version(name)] }

  def exec_command = %w[bundle exec rake sneakers:run]

  def plain = "3.times { PlainJob.enqueue('') }; BrokenPlainJob.enqueue(''); Broker.sent"

  # RabbitMQ's times are whole seconds.
  def plain_queue_times = 0

  def quiet = :TERM

  def pool = nil

  def queues = {**JobWorkerContract::QUEUES, "PlainJob" => "parcels", "BrokenPlainJob" => "broken"}

  def serve(*command, processes: PROCESSES, env: {WITH_HOLDUP: "1"})
    command = WORK if command.empty?
    env = {WORKERS: CLASSES, **env}.transform_keys(&:to_s)
    JobApp.serve(*command, adapter: "sneakers", processes:, env:,
      shared: {"RABBITMQ_URL" => RabbitmqServer.shared.url}) do |app|
      # What is sent to a queue before a worker has made it is lost.
      app.wait { app.client("Broker.workers") == WORKERS.to_s }
      yield app
    end
  end

  def test_a_message_of_a_killed_worker_counts_once_when_another_has_finished_it
    serve(env: {WITH_HOLDUP: "1", HOLDUP_COLLECTOR: "process"}) do |app|
      app.client("5.times { MailJob.perform_later }; #{plain}")
      all_done(app)
      held = File.join(folder, "held")
      app.client("HeldJob.enqueue(#{held.dump})")
      Process.kill(:KILL, holders(app, held, 1).first)
      holders(app, held, 2)
      File.write(held, "")
      all_done(app)
      app.stop
      assert_equal({"MailJob" => 5, "PlainJob" => 3, "BrokenPlainJob" => 1, "HeldJob" => 1}, app.carried)
      assert_empty app.segments
      assert_equal ["HeldJob"], in_flight_at_deaths(app)
    end
  end

  def test_a_message_that_goes_back_to_its_queue_counts_for_each_run
    serve do |app|
      app.client("4.times { RequeuedJob.enqueue('') }; Broker.sent")
      all_done(app)
      stopped(app)
      assert_equal({"RequeuedJob" => 8}, app.counts)
      assert_equal [0], app.units.map(&:errors).uniq
    end
  end

  private

  # The workers leave by `exit!`, which closes no segment.
  def stopped(app) = app.stop

  def all_done(app)
    app.client("Broker.sent")
    app.wait { RabbitmqServer.shared.messages.zero? }
  end

  # Of a stop there is none.
  # @return [Array<String>] names
  def in_flight_at_deaths(app)
    store = Holdup::Store.open(app.store)
    store.deaths(0, 1 << 40).flat_map { |death| death.units.map { |unit| unit[:name] } }
  ensure
    store&.close
  end

  # Waits until so many processes have had the message.
  # @return [Array<Integer>] their pids
  def holders(app, held, count)
    app.wait { Dir["#{held}.*"].size == count }
    Dir["#{held}.*"].map { |path| path[/\d+\z/].to_i }
  end
end
