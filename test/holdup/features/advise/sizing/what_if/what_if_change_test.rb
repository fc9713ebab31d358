# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::WhatIf::WhatIfChangeTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  SERIES = %w[OrdersController#index OrdersController#show Products#index].freeze

  def change(**options)
    Sizing::WhatIf::WhatIfChange.new(**options)
  end

  def deployment(**facts)
    Sizing::Deployment.new(
      {"ruby" => "3.4.5", "server" => "puma",
       "server_version" => "8.0.2"}.merge(facts.transform_keys(&:to_s)), kind: :request, members: []
    )
  end

  def test_a_name_whose_units_another_part_takes
    assert_empty change(without: "Orders*", halved: "Products*").overruled(SERIES)
    {{without: "Orders*", own_pool: Sizing::WhatIf::OwnPool.new(name: "Orders*")} => "Orders*",
     {without: "Orders*", io: "*#show"} => "*#show",
     {mix: {"O*" => 0.3, "Orders*" => 0.2}} => "Orders*",
     {priorities: {"O*" => -1, "*#show" => -2}} => "*#show"}.each do |parts, name|
      assert_equal [name], change(**parts).overruled(SERIES), parts.inspect
    end
  end

  def test_the_first_that_fits_leaves_others_their_rest
    assert_empty change(mix: {"*#show" => 0.1, "Orders*" => 0.2},
      priorities: {"Orders*" => -1, "*#index" => -2}).overruled(SERIES)
  end

  # A job runner in a web server: what is asked for are the threads of one kind, and processes of their own
  # take no other.
  def test_threads_next_to_those_of_the_other_kind
    now = Sizing::Candidate.new(processes: 1, threads: 8, other_threads: [3], concurrent_threads: [3])
    assert_equal [[10, 3], 13],
      change(threads: 10).candidate(now).then { |candidate| [candidate.caps, candidate.threads] }
    pool = change(own_pool: Sizing::WhatIf::OwnPool.new(name: "A")).candidate(now).pool
    assert_equal 5, pool.threads
    assert_empty pool.other_threads
    assert_empty pool.concurrent_threads
  end

  # Of a process's five threads two are of another pool, and stay.
  def test_threads_of_a_process_with_several_pools
    now = Sizing::Candidate.new(processes: 1, threads: 5, other_threads: [2])
    assert_equal [7, 2], change(threads: 9).candidate(now).caps
    error = assert_raises(Holdup::UsageError) { change(threads: 2).candidate(now) }
    assert_match(/2 threads leave none for this pool; the other pools of a process have 2/, error.message)
    own = change(own_pool: Sizing::WhatIf::OwnPool.new(name: "Reports*", threads: 1)).candidate(now)
    assert_equal [[3, 2], [1]], own.groups.map(&:caps)
  end

  # Of the only pool of processes of its own; of one pool more in the same process.
  def test_a_unit_that_moves
    now = Sizing::Candidate.new(processes: 1, threads: 5, other_threads: [2])
    unit = Sizing::Trace::TraceUnit.new(arrival_ns: 0, held_ns: 1, idle_ns: 0, acquisitions: 0, pool: 1)
    {Sizing::WhatIf::OwnPool.new(name: "Reports*") => [1, 0],
     Sizing::WhatIf::OwnThreads.new(name: "Reports*", threads: 3) => [0, 2]}.each do |own_pool, place|
      moved = change(own_pool:)
      assert_equal [place, [0, 1]],
        %w[ReportsJob
          MailJob].map { |name|
          moved.mark(unit, name,
            moved.candidate(now)).then { |one| [one.group, one.pool] }
        }
    end
    assert_equal [3, 2, 3],
      change(own_pool: Sizing::WhatIf::OwnThreads.new(name: "A", threads: 3)).candidate(now).caps
  end

  def test_only_sizes_are_others
    assert_equal [true, true, false, false],
      [{threads: 3}, {processes: 2, time_slice_ns: 1}, {threads: 3, factor: 1.5},
        {without: "A"}].map { |parts| change(**parts).sizes_only? }
  end

  def test_what_a_recorded_ruby_and_server_do_not_have
    asked = change(time_slice_ns: 10_000_000, io: "Orders*", io_threads: 4)
    assert_empty asked.unsupported(deployment)
    assert_empty asked.unsupported(deployment(max_io_threads: 3))
    assert_equal [:slice], asked.unsupported(deployment(ruby: "3.3.8"))
    assert_equal [:io], asked.unsupported(deployment(server_version: "7.2.0"))
    assert_empty change(threads: 3).unsupported(deployment(ruby: "3.3.8"))
    assert_equal [[:threads], []],
      [3, 1].map { |threads| change(threads:).unsupported(deployment(server: "unicorn")) }
  end
end
