# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../../support/coarse_sizing"
require_relative "../../../../support/played_store"

class Holdup::CLI::AdvisePricesTest < Minitest::Test
  one_ruby

  include CoarseSizing
  include CommandLine

  PLAYED = PlayedStore.usual
  PRICES = %w[--prices vcpu=0.04,gb=0.005].freeze

  def advise(*arguments, env: {})
    PLAYED.in_a_file do |path|
      share_sizing(PLAYED) do
        size_coarsely do
          holdup("advise", "--store", path, "--since", "1h", *arguments, now_s: PLAYED.to_s, env:)
        end
      end
    end
  end

  def test_names_the_cheapest_fleet
    said = advise("--slo", "p95=100ms", *PRICES)
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^Cheapest fleet that keeps p95 <= 100 ms at the peak of all hosts$/, said.out)
    assert_match(/^cheapest +1 +\d +\d x \d .* ms +0\.0\d{3}$/, said.out)
    assert_match(/Rails' default \(3 threads, a process for each vCPU\)/, said.out.gsub(/\s+/, " "))
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_takes_prices_of_the_environment
    said = advise("--slo", "p95=100ms", "--lang", "ja", env: {"HOLDUP_PRICES" => "vcpu=0.04,gb=0.005"})
    assert_match(/p95 <= 100 ms を守る最安のフリート/, said.out)
    assert_match(/Pumaの既定値（5スレッド/, said.out.gsub(/\s+/, ""))
  end

  def test_needs_a_time_to_keep
    said = advise(*PRICES).out.gsub(/\s+/, " ")
    assert_match(/no time that the fleet has to keep: add --slo p95=300ms/, said)
  end

  def test_without_prices_no_fleet_is_compared
    refute_match(/[Cc]heapest/, advise("--slo", "p95=100ms").out)
  end

  def test_says_which_prices_it_takes
    said = holdup("advise", "--prices", "0.04")
    assert_equal 2, said.status
    assert_match(/--prices can't be "0.04"; it takes .*vcpu=0.04,gb=0.005/, said.err)
  end
end
