# frozen_string_literal: true

require "io/wait"

module Bench
  # What takes a job the same time whatever the machine does meanwhile. The same amount of work takes 1.5
  # times as long where a neighbour of the virtual machine computes too, for seconds or for minutes, and no
  # prediction knows of that.
  module Exact
    # Nobody writes into it.
    SILENT = IO.pipe.freeze

    module_function

    # Computes with the GVL until the thread has had so much CPU time.
    # @param micros [Numeric]
    # @return [void]
    def compute(micros)
      enough = cpu_us + micros
      nil while cpu_us < enough
    end

    # As a client waits for its database: for a pipe that says nothing, without the GVL.
    # @param millis [Numeric]
    # @return [void]
    def wait(millis)
      SILENT.first.wait_readable(millis / 1000.0)
    end

    def cpu_us
      Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :float_microsecond)
    end
    private_class_method :cpu_us
  end
end
