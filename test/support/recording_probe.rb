# frozen_string_literal: true

# A probe that measures nothing and records its calls: for tests of what calls it, and when. The real one
# is driven in test/native and test/integration.
class RecordingProbe
  Recorded = Data.define(:handle, :kind, :name, :queue, :queued_ns, :error, :pool, :priority, :trace,
    :path, :id) do
    def initialize(pool: nil, priority: nil, trace: nil, path: nil, id: nil, **rest)
      super
    end
  end

  attr_reader :recorded, :cancelled, :counted, :opened, :settings, :profiles, :labels, :ticks, :calls,
    :identified, :charged
  attr_accessor :supported, :refusal

  def initialize(enabled: true)
    @enabled = enabled
    @supported = true
    @handles = 0
    @recorded = []
    @cancelled = []
    @counted = []
    @opened = []
    @settings = []
    @ticks = []
    @calls = []
    @profiles = []
    @identified = []
    @charged = []
    @labels = {}
  end

  def supported? = @supported

  def unsupported_reason
    @supported ? nil : "nothing to measure with"
  end

  def enabled? = @enabled

  def enable
    @calls << :enable
    @enabled = true
  end

  def disable
    @calls << :disable
    @enabled = false
  end

  # Nobody asks for a capture.
  def read_segment(_offset, _length) = nil

  def caught? = false

  def capture_complete? = false

  # Pools of the threads whose units have begun, in their order.
  def entered = @entered ||= []

  def enter(pool = nil)
    return 0 unless @enabled
    entered << pool
    @handles += 1
    threads[@handles] = Thread.current
    @handles
  end

  # Of open units and ended ones, by handle.
  def threads = @threads ||= {}

  def own?(handle) = threads[handle].equal?(Thread.current)

  def interruption?(_error) = false

  attr_accessor :pools

  def record(*values) = @recorded << Recorded.new(*values)

  # For how long the open unit has stalled.
  attr_writer :stalled

  def stalled(_handle) = @stalled

  def idle(_handle) = @stalled

  # For whom the open unit has waited.
  attr_writer :holders

  def holders(_handle) = @holders

  # Nothing is measured.
  def figures(_handle) = nil

  def waits_so_far(_handle) = nil

  def calls_so_far(_handle) = nil

  # What `application_folders` and `sample_holds` got.
  attr_reader :folders, :hold_samples

  def application_folders(*folders) = @folders = folders

  attr_accessor :repeated_queries

  def watch_objects(_on) = true

  def watched_units = []

  def retained_objects(_last_number) = {}

  def sample_holds(over_ns) = @hold_samples = over_ns

  def show_paths(on) = @shown_paths = on

  def cancel(handle) = @cancelled << handle

  # Names of the kinds of calls, in the order in which they were asked for.
  def call_kinds = @call_kinds ||= []

  # Calls that ended: the name of the kind and whether they failed.
  def called = @called ||= []

  def call_kind(name)
    call_kinds << name unless call_kinds.include?(name)
    call_kinds.index(name)
  end

  # What finds the kind of a query's connection.
  attr_reader :kind_of_query

  QueryEnds = Data.define(:probe) do
    def start(_name, _id, _payload) = nil

    def finish(_name, _id, _payload) = nil

    def begin_query(_pool) = probe.begin_call

    def end_query(_pool, connection, _sql, answered)
      probe.end_call(probe.kind_of_query.call(connection), !answered)
    end
  end

  def query_events(kind_of)
    @kind_of_query = kind_of
    QueryEnds.new(self)
  end

  def begin_call(_kind = nil) = true

  def end_call(kind, error) = called << [kind && call_kinds.fetch(kind), error]

  # Transactions that began and ended: the name of the kind, and :begin or whether they failed.
  def transactions = @transactions ||= []

  def begin_transaction(kind) = !!transactions.push([call_kinds.fetch(kind), :begin])

  def end_transaction(kind, error) = transactions.push([call_kinds.fetch(kind), error])

  def count(counter) = @counted << counter

  def label(thread, name) = @labels[thread] = name

  def tick(gauges) = @ticks << gauges

  def name_segment_again(anonymous)
    error = refusal&.call(anonymous)
    raise error if error
    @calls << (anonymous ? :link_again : :file_again)
  end

  def identify(*values) = @identified << values

  def charge(*values) = @charged << values

  def profile=(json)
    @profiles << json
  end

  def setting=(json)
    @settings << json
  end

  def open_segment(*values)
    raise @refusal.call(*values) if @refusal&.call(*values)
    @opened << values
  end

  def open_anonymous_segment(*values)
    @calls << :anonymous
    open_segment(*values)
  end

  # For how many more segments there is space.
  attr_accessor :segment_room

  def close_segment = @calls << :close

  def after_fork = @calls << :after_fork
end
