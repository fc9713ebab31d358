# frozen_string_literal: true

# Samples of processes as a collector would write them: two Puma workers and a Sidekiq with two capsules in a
# container.
class SampleProcesses
  NS = 1_000_000_000
  MB = 1_000_000

  # @param windows [SampleWindows] whose span and setting they share
  # @param vcpus [Float]
  # @param servers [Hash{String => Integer}] processes of each
  def initialize(windows = SampleWindows.new, vcpus: 4.0, servers: {"puma" => 2, "sidekiq" => 1},
    host: "web-1")
    @windows = windows
    @vcpus = vcpus
    @servers = servers
    @host = host
  end

  # @return [Array<Hash>] one a minute, of each process and the container
  def to_a
    (@windows.from_s..@windows.to_s).step(60).flat_map do |at_s|
      seconds = at_s - @windows.from_s
      [
        *@servers.flat_map { |server, count|
          Array.new(count) { |index|
            process(server, index, at_s,
              seconds)
          }
        }, container(at_s, seconds)
      ]
    end
  end

  private

  def process(server, index, at_s, seconds)
    name = (server == "puma") ? "worker #{index}" : "pid #{100 * server.size}"
    redis = (server == "sidekiq") ? {redis_rtt_ns: 350_000 + seconds} : {}
    {at_s:, host: @host, pid: 100 * server.size + index, start: 5, since_s: @windows.from_s, name:,
     server:, setting: @windows.to_a.first&.setting&.fingerprint, generation: 0,
     cpu_ns: seconds * (5 + index) * NS / 10, run_delay_ns: seconds * NS / 20,
     rss_bytes: 250 * MB, pss_bytes: 140 * MB, uss_bytes: 90 * MB, **redis, **pools(server)}
  end

  def pools(server)
    return {"pool.0": "web", "pool.0.max": 5, "pool.0.busy": 3, "pool.0.backlog": 1} if server == "puma"
    {"pool.0": "default", "pool.0.max": 10, "pool.0.busy": 9, "pool.0.backlog": 40,
     "pool.0.oldest_ns": 3 * NS,
     "pool.1": "pdf", "pool.1.max": 1, "pool.1.busy": 1,
     "pool.2": "db primary", "pool.2.max": 11, "pool.2.busy": 4}
  end

  def container(at_s, seconds)
    {at_s:, host: @host, pid: 0, name: "container", cpus: 4, vcpus: @vcpus, cpu_ns: seconds * 17 * NS / 10,
     periods: seconds * 10, throttled_periods: seconds, throttled_ns: seconds * NS / 50,
     memory_bytes: 900 * MB, reclaimable_bytes: 100 * MB, memory_limit_bytes: 2000 * MB,
     collector_cpu_ns: seconds * NS / 250, collector_rss_bytes: 40 * MB, segment_bytes: 3 * MB}
  end
end
