# frozen_string_literal: true

require "test_helper"
require "holdup"
require "holdup/agent/servers/puma"
require "puma"
require "puma/configuration"

class Holdup::Servers::Puma::LeversTest < Minitest::Test
  Launcher = Data.define(:options, :config)
  Fixed = Data.define(:max_threads)
  # Puma 8 and later.
  Live = Data.define(:max_threads) do
    def update_thread_pool_min_max(min:, max:) = nil
  end

  def levers(server = Fixed.new(max_threads: 3), options: {}, program: "rails", &settings)
    named, $PROGRAM_NAME = $PROGRAM_NAME, program
    config = Puma::Configuration.new(&settings)
    config.load
    config.clamp
    made = Holdup::Servers::Puma::Levers.new(Launcher.new(options:, config:), env: {})
    made.of(server).to_h { |lever| [lever.name, lever] }
  ensure
    $PROGRAM_NAME = named
  end

  def test_a_process_without_workers_has_threads_and_may_get_workers
    found = levers
    assert_equal %w[threads processes], found.keys
    assert_equal [3, "threads N, N"], [found["threads"].value, found["threads"].write]
    assert_equal :puma_first_workers, found["processes"].how
    assert_equal 0, found["processes"].value
    refute found["processes"].live, "it would have to restart"
  end

  def test_a_cluster_has_levers_of_its_own
    found = levers(options: {workers: 2, preload_app: true})
    assert_equal %w[threads processes preload fork_worker], found.keys
    assert found["processes"].live
    assert_equal :puma_workers, found["processes"].how
    assert_equal [true, false], [found["preload"].value, found["fork_worker"].value]
  end

  def test_threads_of_a_puma_that_can_change_them_are_live
    live, fixed = [Live.new(max_threads: 3), Fixed.new(max_threads: 3)].map { |one| levers(one)["threads"] }
    assert live.live
    refute fixed.live
    assert_equal %i[puma_threads_live puma_restart], [live.how, fixed.how]
  end

  def test_threads_for_requests_that_wait_only_where_puma_has_them
    assert_equal 4, levers(options: {max_io_threads: 4})["max_io_threads"].value
    refute_includes levers, "max_io_threads"
  end

  # A line of a file would have no effect.
  def test_a_value_of_the_command_line_is_changed_there
    settings = ->(user, *) { user.threads(1, 3) }
    found = levers(program: "puma", &settings)["threads"]
    assert_equal ["puma -t N:N", :puma_command], [found.write, found.how]
    assert_equal "threads N, N", levers(program: "rails", &settings)["threads"].write
  end
end
