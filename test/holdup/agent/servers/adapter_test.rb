# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/adapter"

class Holdup::Servers::AdapterTest < Minitest::Test
  # Nothing but the name is its own.
  module PlainRunner
    PROCESSES = {worker: /plain: worker/}.freeze

    extend Holdup::Servers::Adapter
  end

  def test_the_name_of_a_server_is_that_of_its_adapter_as_a_fact
    assert_equal "plain_runner", PlainRunner.server_name
  end

  def test_how_its_processes_look_from_outside
    assert_equal "plain_runner", PlainRunner.kind.name
    assert_equal [/plain: worker/, nil, [], false],
      [PlainRunner.kind.worker, PlainRunner.kind.alone, PlainRunner.kind.programs, PlainRunner.kind.children]
  end

  def test_unless_it_says_otherwise_it_takes_requests_several_at_a_time
    refute_predicate PlainRunner, :jobs?
    refute_predicate PlainRunner, :one_at_a_time?
    assert_nil PlainRunner.own_queue("mails")
    assert_nil PlainRunner.warm_up({})
  end

  def test_workers_are_forked_from_a_loaded_application_where_it_is_preloaded
    assert PlainRunner.forks_loaded?({"preload" => true})
    refute PlainRunner.forks_loaded?({"preload" => false})
    refute PlainRunner.forks_loaded?({})
  end
end
