# frozen_string_literal: true

# The collectors that a served application has beside it.
module CollectorsBeside
  # @param app [ServedApp]
  # @return [Array<Integer>] their pids
  def collectors(app)
    app.processes.map { |process| process[:pid] }.select { |pid| command_line(pid).include?("\0collect\0") }
  end

  private

  # Empty for a zombie, and for one that has gone in between.
  def command_line(pid)
    File.read("/proc/#{pid}/cmdline")
  rescue SystemCallError
    ""
  end
end
