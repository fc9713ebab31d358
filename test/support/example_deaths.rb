# frozen_string_literal: true

require "support/running_units"

# Processes that died, as a store has them.
module ExampleDeaths
  include RunningUnits

  # @param process [Holdup::Ps::OpenProcess] as it was when it died
  # @param ago_s [Numeric] before NOW_NS
  # @return [Holdup::Autopsy]
  def death(process = open_process, ago_s: 0, pid: process.pid, **facts)
    died_ns = NOW_NS - (ago_s * NS).to_i
    Holdup::Autopsy.new(source: "0123456789abcdef/#{pid}-1.segment:#{died_ns}", host: "web-1", pid:,
      name: "worker 0", server: "puma", setting: "abcdef123456", since_ns: died_ns - 3600 * NS,
      alive_ns: died_ns, gone_ns: died_ns + 4 * NS, units: process.units.map { |unit| unit.to_h.compact },
      gvl: process.gvl&.to_h, **facts)
  end

  # One that had all that an autopsy can have.
  def hogged_death(**facts)
    memory = {120 => 400, 60 => 900}.map { |ago_s, mib| {at_s: NOW_NS / NS - ago_s, rss_bytes: mib << 20} }
    death(hogged, reason: :oom, status: 9, beyond: 2, objects: 900, memory:,
      ended: [{kind: :request, name: "OrdersController#show", start_ns: NOW_NS - 90 * NS, wall_ns: NS / 5}],
      **facts)
  end

  # @return [Holdup::Store] in memory
  def store_with(*deaths)
    Holdup::Store.open("memory:").tap { |store| store.commit([], {}, deaths:) }
  end
end
