# frozen_string_literal: true

require "test_helper"
require "logger"
require "action_cable"
require "rack/mock"
require "holdup/agent/instrumentation/cable_actions"

# With Action Cable and its own pool of threads, in this process; without a WebSocket.
class Holdup::Instrumentation::CableActionsTest < Minitest::Test
  include WaitUntil

  class Connection < ActionCable::Connection::Base
    def connect = ROOM << :connected
  end

  class ChatChannel < ActionCable::Channel::Base
    def subscribed = ROOM << :subscribed

    def unsubscribed = ROOM << :unsubscribed

    def speak(data) = ROOM << data["text"]

    def fail = raise("broken")

    private

    def hidden = ROOM << :hidden
  end

  ROOM = Queue.new
  IDENTIFIER = {channel: ChatChannel.name, room: 4711}.to_json.freeze

  def setup
    @probe = RecordingProbe.new
    @log = CollectedLog.new
    @guard = Holdup::Guard.new(log: @log, clock: HandClock.new)
    recorder = Holdup::Recorder.new(probe: @probe, guard: @guard)
    jobs = Holdup::Instrumentation::JobUnits.new(recorder:, clock: HandClock.new)
    self.class.follow(Holdup::Instrumentation::CableActions.new(jobs: -> { jobs }, guard: @guard))
    ROOM.clear
    @server = ActionCable::Server::Base.new(config:)
    @connection = Connection.new(@server, Rack::MockRequest.env_for("/cable"))
  end

  def teardown
    @server.worker_pool.halt
    super
  end

  # The hooks stay in this process, and serve the test that runs.
  class << self
    attr_reader :current

    def follow(actions)
      @current = actions
      @hooked ||= Holdup::Instrumentation::CableActions.new(jobs: nil, guard: nil).tap do |first|
        test = self
        first.define_singleton_method(:perform) { |*given, &block| test.current.perform(*given, &block) }
        first.define_singleton_method(:around) { |*given, &block| test.current.around(*given, &block) }
        first.install
      end
    end
  end

  def config
    ActionCable::Server::Configuration.new.tap do |config|
      config.logger = Logger.new(IO::NULL)
      config.cable = {"adapter" => "async"}
      config.connection_class = -> { Connection }
    end
  end

  # As a message of a client, in the pool of threads.
  # @return [void]
  def send_command(command, **data)
    payload = {"command" => command, "identifier" => IDENTIFIER, "data" => data.to_json}
    @connection.send_async(:handle_channel_command, payload)
    done
  end

  # When the pool has run all that it was given before. Its threads take one thing after the other.
  def done
    pool = @server.worker_pool.executor
    wait_until { pool.completed_task_count == pool.scheduled_task_count }
  end

  def names = @probe.recorded.map(&:name)

  def own(name) = "#{self.class.name}::#{name}"

  def test_each_action_is_a_job_by_channel_and_method
    send_command("subscribe")
    send_command("message", action: "speak", text: "hello")
    send_command("unsubscribe")
    assert_equal [:subscribed, "hello", :unsubscribed], Array.new(ROOM.size) { ROOM.pop }
    expected = %w[ChatChannel#subscribed ChatChannel#speak ChatChannel#unsubscribed].map { |name| own(name) }
    assert_equal expected, names
    job = Holdup::Probe::KINDS.fetch(:job)
    assert_equal [[job, "action_cable"]], @probe.recorded.map { |one| [one.kind, one.queue] }.uniq
  end

  def test_a_connection_is_one_too
    @connection.send_async(:handle_open)
    done
    assert_equal [own("Connection#connect")], names
  end

  def test_clients_make_no_names
    send_command("subscribe")
    ["hidden", "order_4711", "instance_eval"].each { |action| send_command("message", action:) }
    assert_equal [own("ChatChannel#(no such action)")], names.drop(1).uniq
    assert_equal 1, ROOM.size
  end

  def test_an_action_that_raises_is_a_failure_and_the_exception_goes_on
    send_command("subscribe")
    send_command("message", action: "fail")
    assert_equal [[own("ChatChannel#subscribed"), false], [own("ChatChannel#fail"), true]],
      @probe.recorded.map { |one| [one.name, one.error] }
    assert_empty @guard.failures
  end

  def test_nothing_is_measured_while_it_is_off
    @probe.disable
    send_command("subscribe")
    assert_equal [1, []], [ROOM.size, names]
  end
end
