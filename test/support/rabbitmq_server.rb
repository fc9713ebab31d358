# frozen_string_literal: true

require "open3"
require_relative "server_process"

# A real RabbitMQ of a test's own, as the user that runs the tests: free ports of loopback, data, log and
# Erlang's cookie in a temporary folder that is gone afterwards. Erlang's nodes find each other by a program
# of their own, epmd. It would stay after the broker, so this one is started and stopped here.
#
#   RabbitmqServer.run { |rabbitmq| spawn({"RABBITMQ_URL" => rabbitmq.url}, ...) }
class RabbitmqServer
  include ServerProcess

  # The one in PATH changes to a user of its own, and keeps to its folders.
  PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server"
  # Its own port, the one of its node, and epmd's.
  TAKEN = /address already in use|dist_port_already_used|no_reg_reply_from_epmd/i
  NODE = "holdup@localhost"
  COOKIE = "holdup"
  # What a client says first (AMQP 0-9-1), and the type of the frame that answers it.
  GREETING = "AMQP\x00\x00\x09\x01".b
  METHOD_FRAME = 1
  # One thread that runs Erlang's processes, which does not spin when it has nothing to do.
  ERLANG = "-noinput -setcookie #{COOKIE} -kernel inet_dist_use_interface {127,0,0,1} " \
    "+S 1:1 +sbwt none".freeze
  SETTINGS = <<~TEXT
    log.file = false
    log.console = true
    log.console.level = warning
    disk_free_limit.absolute = 1MB
  TEXT
  MESSAGES = 'lists:sum([N || [{messages, N}] <- rabbit_amqqueue:info_all(<<"/">>, [messages])]).'

  class << self
    # @return [Boolean] whether the program is on this machine
    def installed? = File.executable?(PROGRAM)

    # @yieldparam rabbitmq [RabbitmqServer] while it runs
    # @return [Object] the block's value
    def run
      rabbitmq = start
      yield rabbitmq
    ensure
      rabbitmq&.stop
    end
  end

  # @return [Integer] of the epmd
  attr_reader :epmd_pid

  def initialize
    raise_unless_installed
    @port, @node_port, @epmd_port = Array.new(3) { FreePorts.take }
  end

  # @return [self]
  def start
    @folder = self.class.data_folder("holdup-rabbitmq")
    write("enabled_plugins", "[].\n")
    write("rabbitmq.conf", "listeners.tcp.1 = #{HOST}:#{@port}\n#{SETTINGS}")
    @epmd_pid = spawn_program("epmd", "-address", HOST, "-port", @epmd_port.to_s)
    @pid = spawn_program(PROGRAM)
    wait_until_it_answers
    self
  end

  # @return [void]
  def stop
    super
  ensure
    stop_epmd
  end

  def url = "amqp://guest:guest@#{HOST}:#{@port}"

  # @return [Integer] messages in all queues: those that wait, and those that no worker has acknowledged
  def messages
    answer, status = Open3.capture2e(environment, "erl_call", "-sname", NODE, "-c", COOKIE, "-e",
      stdin_data: "#{MESSAGES}\n")
    raise "RabbitMQ does not say what waits:\n#{answer}" unless status.success? && answer[/\A\{ok, (\d+)\}/]
    $1.to_i
  end

  private

  def write(name, text) = File.write(path(name), text)

  def path(name) = File.join(@folder, name)

  def spawn_program(*words)
    Process.spawn(environment, *words, chdir: @folder, in: File::NULL, out: [log_path, "a"],
      err: %i[child out])
  end

  # RABBITMQ_ALLOW_INPUT: the script becomes Erlang instead of waiting for it, so that the broker has its pid.
  def environment
    {"HOME" => @folder,
     "ERL_EPMD_ADDRESS" => HOST,
     "ERL_EPMD_PORT" => @epmd_port.to_s,
     "RABBITMQ_ALLOW_INPUT" => "1",
     "RABBITMQ_NODENAME" => NODE,
     "RABBITMQ_DIST_PORT" => @node_port.to_s,
     "RABBITMQ_MNESIA_BASE" => path("mnesia"),
     "RABBITMQ_LOG_BASE" => path("logs"),
     "RABBITMQ_PID_FILE" => path("pid"),
     "RABBITMQ_ENABLED_PLUGINS_FILE" => path("enabled_plugins"),
     "RABBITMQ_CONFIG_FILE" => path("rabbitmq.conf"),
     "RABBITMQ_CONF_ENV_FILE" => File::NULL,
     "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS" => ERLANG}
  end

  def stop_epmd
    return unless @epmd_pid
    Process.kill(:KILL, @epmd_pid)
    Process.wait(@epmd_pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil
  ensure
    @epmd_pid = nil
  end

  def answers?
    TCPSocket.open(HOST, @port) do |socket|
      socket.write(GREETING)
      socket.wait_readable(1) && socket.readbyte == METHOD_FRAME
    end
  rescue SystemCallError, EOFError
    false
  end
end
