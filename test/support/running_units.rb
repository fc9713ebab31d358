# frozen_string_literal: true

# Requests and jobs that run, as a segment has them, at one moment.
module RunningUnits
  NS = 1_000_000_000
  NOW_NS = 1_790_000_000 * NS

  # @param name [String]
  # @param elapsed_s [Numeric] since it began
  # @param lasted_s [Numeric, nil] since it is in its state
  # @param seen_s [Numeric] since the state was looked at
  # @return [Holdup::Segment::OpenUnit]
  def open_unit(name, elapsed_s: 12, lasted_s: nil, seen_s: 0.05, thread: 4720, **facts)
    Holdup::Segment::OpenUnit.new(
      kind: :request, name:, queue: nil, pool: nil, started_ns: ago(elapsed_s), thread:, trace_id: nil,
      request_id: nil, job_id: nil, state: nil, since_ns: lasted_s && ago(lasted_s),
      seen_ns: lasted_s && ago(seen_s), holder: false, call: nil, place: nil, objects: nil,
      outer: nil, **facts
    )
  end

  # @return [Object] as Segment::Reader#open_state gives it
  def held(thread, lasted_s: 41.2, seen_s: 0.05, name: nil)
    Holdup::Segment::OpenState.new(holder_thread: thread, holder_name: name, held_since_ns: ago(lasted_s),
      seen_ns: ago(seen_s))
  end

  # @return [Holdup::Ps::OpenProcess]
  def open_process(*units, pid: 4711, gvl: nil, **facts)
    Holdup::Ps::OpenProcess.new(pid:, name: "worker 0", server: "puma", units:, gvl:, **facts)
  end

  # Its report keeps the GVL, and an order waits for it.
  def hogged(**facts)
    report = open_unit("ReportsController#sales", elapsed_s: 42, lasted_s: 41.2, thread: 4718,
      state: :running, holder: true, place: "app/models/sales_report.rb:30 SalesReport#rows")
    order = open_unit("OrdersController#index", lasted_s: 1.2, state: :gvl)
    open_process(order, report, gvl: held(4718), **facts)
  end

  # @return [Holdup::Ps::OpenWork]
  def work(*processes) = Holdup::Ps::OpenWork.new(processes, NOW_NS)

  private

  def ago(seconds) = NOW_NS - (seconds * NS).to_i
end
