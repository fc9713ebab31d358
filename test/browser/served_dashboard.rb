# frozen_string_literal: true

require "holdup/loader"

# The dashboard over a store, served as `holdup web` does it, in this process.
class ServedDashboard
  HOST = "127.0.0.1"
  PATIENCE_S = 180

  # @return [String] without a path
  attr_reader :address

  # @param store [String] a SQLite file
  # @param now_s [Integer] what the clock shows for as long as it is served
  # @param dir [String] of segments
  # @param captures [String, nil] folder of those that are kept
  # @param patience_s [Numeric, nil] how long a page waits for what takes seconds; nil: as long as it takes
  # @param around [#call] puts itself between the server and the dashboard
  # @param opening [#call] runs before the store is opened
  def initialize(store:, now_s:, dir: "/nonexistent", captures: nil, patience_s: nil,
    around: :itself.to_proc, opening: -> {})
    opened = lambda do
      opening.call
      Holdup::Store.open(store, read_only: true)
    end
    computations = Holdup::Web::Computations.new(clock: Holdup::Clock.new, patience_s:)
    web = Holdup::Web.new(
      store: opened,
      dir:,
      captures: -> { captures },
      auth: :none,
      computations:,
      clock: CommandLine::Still.new(now_s:)
    )
    addresses = Queue.new
    @thread = Thread.new do
      server = Holdup::Web::Command::Server.new(around.call(web), host: HOST, port: 0)
      server.run { |address| addresses << address }
    end
    @thread.report_on_exception = false
    @address = (addresses.pop(timeout: PATIENCE_S) or @thread.value).delete_suffix("/")
  end

  def stop = @thread.kill.join
end
