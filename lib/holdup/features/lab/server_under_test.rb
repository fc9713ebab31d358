# frozen_string_literal: true

require "socket"

module Holdup
  module Lab
    # The user's own server with one setting, as `holdup exec -- COMMAND` starts it, so that the application
    # needs no change. Not by that command: where the arm is another Ruby, ours would miss its gems in the
    # arm's environment. The server listens at PORT of the environment, or {port} in the command.
    class ServerUnderTest
      HOST = "127.0.0.1"
      BOOT_S = 60
      STEP_S = 0.1
      # The user's own variables of Holdup do not apply to the experiment.
      FOREIGN = /\AHOLDUP_/
      # Room for every request of a trial, even if one process takes all.
      RING = 32_768

      attr_reader :target

      # @param command [Array<String>] see Arm#fill
      # @param root [String] where it runs
      # @param port [Integer, nil] the command's fixed port; nil: Holdup chooses one
      def initialize(command, arm:, env:, folder:, segments:, root: Dir.pwd, port: nil)
        @port = port || TCPServer.open(HOST, 0) { |server| server.addr[1] }
        @command = command.map { |argument| arm.fill(argument, port: @port) }
        changes = {
          **env.keys.grep(FOREIGN).to_h { |key| [key, nil] },
          "HOLDUP_DIR" => segments,
          "HOLDUP_COLLECTOR" => "off",
          "HOLDUP_RING_SIZE" => RING.to_s,
          "PORT" => @port.to_s,
          **(arm.jit? ? ChildEnvironment.new(env).without_jit.to_h : {}),
          **arm.env
        }
        @env = {**changes, **Exec::BootOptions.new({**env.to_h, **changes}).to_h}
        @root = root
        @log = File.join(folder, "server.log")
        @target = Load::Target.new("http://#{HOST}:#{@port}")
      end

      # @param route [Route] to request until the server answers
      # @raise [Holdup::Error] it can't be run, or does not answer in time
      def boot(route, patience_s: BOOT_S)
        Exec::BootOptions.check
        @child = start
        deadline = now + patience_s
        until answers?(route)
          check
          if now > deadline
            raise Error.new("the server did not answer on port #{@port} within #{patience_s} s",
              "does it listen on $PORT, or {port} of the command? #{said}")
          end
          IO.select(nil, nil, nil, STEP_S)
        end
        self
      end

      # @raise [Holdup::Error] the server has exited
      def check
        raise Error.new("the server has ended", said) unless @child.alive?
      end

      # @return [Float, nil] CPU seconds of its processes so far; nil if the system doesn't report them
      def cpu_seconds
        Child::ProcessTree.new(@child.pid).cpu_seconds if File.exist?("/proc/self/stat")
      end

      def stop = @child&.stop

      def said
        "it said: #{@child.last_words.strip}"
      end

      private

      def start
        Child.new(*@command, env: @env, folder: @root, log: @log)
      rescue SystemCallError => error
        raise Error.new("can't run #{@command.first[0, 200]}: #{error.message}", "check the command after --")
      end

      def answers?(route)
        arrival = Load::Arrivals::Arrival.new(at_ns: 0, route:, path: route.path_for(Random.new(1)))
        outcomes = Load.new(target: @target, arrivals: [arrival], patience_s: 5).run
        outcomes.each_value.all? { |outcome| outcome.lost.zero? }
      end

      def now
        Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
