# frozen_string_literal: true

# A host as the doctor's checks see it: sound, but for the facts that a test says.
module DoctorHost
  NOW_S = 1_790_000_000
  COUNTERS = {units: 500, caused_ns: 6_000_000_000, handoff_ns: 4_000_000_000,
              stalled_ns: 10_000_000_000}.freeze
  SOUND = {ruby: "ruby 3.4.5", unsupported: nil, clock_source: "counter", dir: "/dev/shm/holdup-1",
           dir_state: :ok, tmpfs: true,
           refused: [], collector: true, store: {location: "/s.sqlite3", bytes: 1_500_000, schema: 1,
                                                 newest_s: NOW_S - 60},
           store_problem: nil, now_ns: NOW_S * 1_000_000_000}.freeze

  def process(**facts)
    Holdup::Doctor::Checks::Host::HostProcess.new(pid: 7, alive: true, closed: false,
      heartbeat_ns: (NOW_S - 1) * 1_000_000_000,
      setting: {"jit" => "yjit"}, counters: COUNTERS, requests: 500, queued: 500, **facts)
  end

  def host(segments: [process], **facts)
    Holdup::Doctor::Checks::Host.new(**SOUND, segments:, **facts)
  end

  def findings(...) = Holdup::Doctor::Checks.call(host(...))

  def machine(vcpus: 2.0)
    Holdup::Analysis::Machine.new(host: "h", trail: nil, members: [], vcpus:)
  end

  # The key and level of what is not fine.
  def troubles(...)
    findings(...).reject(&:ok?).to_h { |finding| [finding.key, finding.level] }
  end

  # @return [String] the report of these findings, as a terminal shows it
  def text(findings, **options)
    Holdup::View::Text.new(Holdup::Doctor::Report.new(findings, **options).page).call
  end
end
