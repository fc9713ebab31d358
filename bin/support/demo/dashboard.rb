# frozen_string_literal: true

require_relative "options"
require_relative "report"

module Demo
  # `holdup web` over what was recorded, run as a user runs it.
  class Dashboard
    BOOT_SECONDS = 120
    ADDRESS = %r{http://\S+/}

    # @param children [Children]
    # @param folder [String] for its log
    # @param env [Hash<String, String>]
    def initialize(children:, folder:, env:)
      @children = children
      @log = File.join(folder, "web.log")
      @env = env
    end

    # @return [String] its address, once it listens there
    # @raise [Failure]
    def start
      @children.start(
        :web,
        @env,
        "bundle",
        "exec",
        Report::HOLDUP,
        "web",
        "--port",
        "0",
        out: File::NULL,
        err: @log
      )
      deadline = now + BOOT_SECONDS
      until (address = File.read(@log)[ADDRESS])
        if now > deadline || !@children.alive?(:web)
          raise Failure,
            "holdup web did not start:\n#{File.read(@log)}"
        end
        IO.select(nil, nil, nil, 0.1)
      end
      address
    end

    private

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
