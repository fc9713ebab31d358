# frozen_string_literal: true

require "test_helper"
require "open3"
require "holdup/agent/servers"
require_relative "../../../bin/support/awaited_classes"

class Holdup::ServersTest < Minitest::Test
  BOOT = File.expand_path("../../../lib/holdup/agent/exec_boot", __dir__)

  # An adapter that remembers what was done to it.
  class Adapter
    class << self
      attr_accessor :here, :installed

      def here? = here
    end

    def initialize(runtime:, middleware:)
    end

    def install = self.class.installed += 1
  end

  def adapter(here)
    Class.new(Adapter).tap do |made|
      made.here = here
      made.installed = 0
    end
  end

  def joining(known)
    Holdup::Servers::Attachment.new(runtime: nil, middleware: nil,
      known: known.transform_values { |made| -> { made } })
  end

  def test_holdup_exec_waits_for_the_same_classes
    script = "puts Holdup::ExecBoot::SERVERS"
    output, = Open3.capture2e({"RUBYOPT" => nil}, RbConfig.ruby, "-r#{BOOT}", "-e", script)
    assert_equal Holdup::Servers::KNOWN.keys, output.split
  end

  # `rake servers` writes them.
  def test_the_awaited_classes_are_those_of_the_adapters
    assert_equal File.read(Holdup::Servers::AWAITED), AwaitedClasses.text
  end

  def test_every_adapter_says_what_others_ask
    known = Holdup::Servers::ADAPTERS.keys
    assert_empty %w[falcon good_job pitchfork puma sidekiq solid_queue unicorn] - known
    Holdup::Servers::ADAPTERS.each do |name, adapter|
      assert_equal name, adapter.kind.name
      assert [adapter.kind.worker, adapter.kind.alone, *adapter.kind.programs].any?, name
      assert_equal adapter.jobs?, !adapter.own_queue("mails").nil?, name
    end
  end

  def test_what_compacts_a_heap_before_workers_are_forked
    known = Holdup::Servers::ADAPTERS
    assert_equal "before_fork { Process.warmup }", known["puma"].warm_up({})
    assert_equal "on_refork { Process.warmup }",
      known["puma"].warm_up({"refork" => true, "server_version" => "6.6"})
    assert_equal "before_refork { Process.warmup }",
      known["puma"].warm_up({"refork" => true, "server_version" => "7.0"})
    assert_nil known["falcon"].warm_up({})
    assert known["pitchfork"].forks_loaded?({})
    refute known["unicorn"].forks_loaded?({"preload" => false})
  end

  def test_what_is_loaded_is_joined_once_and_may_run_later
    runner = adapter(false)
    absent = adapter(true)
    joining = joining("Minitest::Test" => runner, "Nothing::Loaded" => absent)
    2.times { refute joining.call }
    assert_equal [1, 0], [runner.installed, absent.installed]
  end

  def test_knows_a_worker_by_the_title_of_its_process
    {
      "puma: cluster worker 0: 4711 [shop]" => 0,
      "puma: cluster worker 12: 4711" => 12,
      "unicorn worker[3] -c unicorn.rb" => 3,
      "unicorn_rails worker[1]" => 1,
      "puma 7.0.0 (tcp://127.0.0.1:3000) [shop]" => nil,
      "unicorn master -c unicorn.rb" => nil,
      "bin/rails" => nil
    }.each { |title, index| assert_equal [title, index], [title, Holdup::Servers.worker(title)] }
  end

  def test_whether_one_of_them_runs_this_process
    assert joining("Minitest::Test" => adapter(false), "Minitest::Runnable" => adapter(true)).call
  end
end
