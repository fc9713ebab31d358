# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Collector::HostFactsTest < Minitest::Test
  include TemporaryFolder

  def facts(text)
    File.write(File.join(folder, "stat"), text)
    Holdup::Collector::ContainerFacts::HostFacts.new(proc: folder, ticks_per_s: 100).call
  end

  def test_adds_up_all_cpus_since_the_boot
    read = facts(<<~TEXT)
      cpu  100 20 30 4000 50 6 7 80 9 1
      cpu0 50 10 15 2000 25 3 3 40 5 0
      cpu1 50 10 15 2000 25 3 4 40 4 1
      intr 5 0
      cpufreq 1
    TEXT
    assert_equal({host_cpus: 2, host_busy_ns: 1_630_000_000, steal_ns: 800_000_000}, read)
  end

  def test_is_empty_where_the_system_does_not_say
    assert_empty facts("")
    assert_empty facts("cpu  1 2 3 4\n")
    assert_empty Holdup::Collector::ContainerFacts::HostFacts.new(proc: "#{folder}/none").call
  end
end
