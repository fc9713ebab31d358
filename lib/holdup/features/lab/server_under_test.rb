# frozen_string_literal: true

require "rbconfig"
require "socket"

module Holdup
  module Lab
    # The user's own server with one setting: `holdup exec -- COMMAND`, so that the application needs no
    # change. It listens at PORT of the environment, or {port} in the command.
    class ServerUnderTest
      EXE = File.expand_path("../../../../exe/holdup", __dir__)
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
        @env = {
          **env.keys.grep(FOREIGN).to_h { |key| [key, nil] },
          "HOLDUP_DIR" => segments,
          "HOLDUP_COLLECTOR" => "off",
          "HOLDUP_RING_SIZE" => RING.to_s,
          "PORT" => @port.to_s,
          **(arm.jit? ? ChildEnvironment.new(env).without_jit.to_h : {}),
          **arm.env
        }
        @root = root
        @log = File.join(folder, "server.log")
        @target = Load::Target.new("http://#{HOST}:#{@port}")
      end

      # @param route [Route] to request until the server answers
      # @raise [Holdup::Error] no answer in time
      def boot(route, patience_s: BOOT_S)
        @child = Child.new(RbConfig.ruby, EXE, "exec", "--no-collector", "--", *@command, env: @env,
          folder: @root, log: @log)
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
