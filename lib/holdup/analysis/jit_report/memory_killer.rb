# frozen_string_literal: true

module Holdup
  module Analysis
    class JitReport
      # What ends processes of a server, as one of them told: see Jit::MemoryKillers. `of`: "process", or
      # "all" for the sum over the server and all of its workers; `unit_bytes`: how much one more of its
      # setting adds to the limit.
      MemoryKiller = Data.define(:name, :of, :limit_bytes, :units, :every_s, :unit_bytes) do
        def initialize(unit_bytes: nil, **rest) = super

        # @param trail [ProcessReport::SampleTrail]
        # @return [MemoryKiller, nil] nil also when it is loaded and is for another server; what ends workers
        #   of a master ends nobody where there is no master
        def self.of(trail)
          unless trail[:"killer.name"] && trail[:server].to_s.split("+").include?(trail[:"killer.server"])
            return
          end
          killer = new(**members.to_h { |name| [name, trail[:"killer.#{name}"]] })
          killer unless killer.all? && !trail[:name].to_s.start_with?("worker ")
        end

        def all? = of == "all"

        # @param bytes [Integer]
        # @return [String, nil] the line that makes its limit so large: "ram = 140"
        def line(bytes)
          setting = MemoryKiller::SETTINGS[name]
          setting && format(setting, (bytes / (unit_bytes || MIB).to_f).ceil)
        end
      end

      # As each killer's own setting is written.
      MemoryKiller::SETTINGS = {
        "puma_worker_killer" => "ram = %d", "unicorn-worker-killer" => "memory_limit_min = %d", "sidekiq-worker-killer" => "max_rss: %d",
        "sidekiqswarm" => "SIDEKIQ_MAXMEM_MB=%d"
      }.freeze
    end
  end
end
