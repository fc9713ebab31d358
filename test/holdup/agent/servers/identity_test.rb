# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/identity"

class Holdup::Servers::IdentityTest < Minitest::Test
  def identity(name, **more)
    Holdup::Servers::Identity.new(name:, **more)
  end

  def merge(*identities)
    Holdup::Servers::Identity.merge(identities)
  end

  def test_several_are_one_and_the_web_server_comes_first
    jobs = identity("sidekiq", facts: {"jobs" => "sidekiq"}, pools: -> { [:jobs] },
      levers: -> { levers("concurrency") }, gauges: -> { {redis_rtt_ns: 5} })
    web = identity("puma", facts: {"server" => "puma"}, worker: 1, pools: -> { [:web] },
      levers: -> { levers("threads") })
    both = merge(jobs, web)
    assert_equal ["puma+sidekiq", {"jobs" => "sidekiq", "server" => "puma"}, 1],
      [both.name, both.facts, both.worker]
    assert_equal [%i[web jobs], levers("threads", "concurrency"), {redis_rtt_ns: 5}],
      [both.pools, both.levers, both.gauges].map(&:call)
  end

  # GoodJob's threads are no Puma's, and there are processes only once.
  def test_levers_with_one_name_get_their_owners_name
    web = identity("puma", facts: {"server" => "puma"}, levers: -> { levers("threads", "processes") })
    both = merge(identity("good_job", levers: -> { levers("threads", write: "GOOD_JOB_THREADS=N") }), web)
    assert_equal [["threads", "N"], ["processes", "N"], ["threads (good_job)", "GOOD_JOB_THREADS=N"]],
      both.levers.call.map { |lever| [lever.name, lever.write] }
  end

  def levers(*names, write: "N")
    names.map { |name| Holdup::Lever.new(name:, value: 1, write:) }
  end

  def test_a_child_inherits_only_the_facts
    child = identity("sidekiq", facts: {"jobs" => "sidekiq"}, worker: 2, pools: -> { [:jobs] },
      gauges: -> { {redis_rtt_ns: 5} }).forked
    assert_equal [{"jobs" => "sidekiq"}, nil, [], {}],
      [child.facts, child.worker, child.pools.call, child.gauges.call]
  end
end
