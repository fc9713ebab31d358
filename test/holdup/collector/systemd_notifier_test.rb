# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup
  class Collector
    class SystemdNotifierTest < Minitest::Test
      def setup
        @dir = Dir.mktmpdir
        @path = File.join(@dir, "notify")
        @service = ServiceSocket.new(@path)
        @clock = HandClock.new
      end

      def teardown
        @service.close
        FileUtils.rm_rf(@dir)
      end

      def notifier(watchdog_us: nil, address: @path)
        SystemdNotifier.new(address, clock: @clock, watchdog_us:)
      end

      def test_ready_is_sent_once_and_a_status_when_it_changes
        one = notifier
        ["leading", "leading", "standing by"].each { |status| one.ready(status) }
        one.stopping("storing")
        assert_equal ["READY=1\nSTATUS=leading", "STATUS=standing by", "STOPPING=1\nSTATUS=storing"],
          @service.received
      end

      def test_the_watchdog_hears_from_it_at_half_of_its_time
        one = notifier(watchdog_us: 10_000_000)
        one.alive
        assert_empty @service.received, "systemd does not watch a service that has not started"
        one.ready("leading")
        sent = (0..12).select do |second|
          @clock.monotonic_ns = second * 1_000_000_000
          one.alive
          @service.received.include?("WATCHDOG=1")
        end
        assert_equal [0, 5, 10], sent
        assert_in_delta 2.5, one.patience_s
      end

      def test_without_a_watchdog_it_says_nothing_more
        one = notifier
        one.ready("leading")
        one.alive
        assert_equal 1, @service.received.size
        assert_equal Float::INFINITY, one.patience_s
      end

      def test_an_abstract_socket
        name = "holdup-test-#{Process.pid}-#{object_id}"
        service = ServiceSocket.new("\0#{name}")
        notifier(address: "@#{name}").ready("leading")
        assert_equal ["READY=1\nSTATUS=leading"], service.received
      ensure
        service&.close
      end

      def test_the_environment_is_not_passed_on
        env = {"NOTIFY_SOCKET" => @path, "WATCHDOG_USEC" => "2000000", "WATCHDOG_PID" => "7", "HOME" => "/"}
        one = SystemdNotifier.take_from(env, clock: @clock, pid: 7)
        assert_equal({"HOME" => "/"}, env)
        one.ready("leading")
        one.alive
        assert_includes @service.received, "WATCHDOG=1"
      end

      def test_a_watchdog_of_another_process_is_not_ours
        env = {"NOTIFY_SOCKET" => @path, "WATCHDOG_USEC" => "2000000", "WATCHDOG_PID" => "8"}
        one = SystemdNotifier.take_from(env, clock: @clock, pid: 7)
        one.ready("leading")
        one.alive
        assert_equal ["READY=1\nSTATUS=leading"], @service.received
      end

      def test_an_unusable_watchdog_time_is_none
        ["", "x", "0", "-1"].each do |text|
          env = {"NOTIFY_SOCKET" => @path, "WATCHDOG_USEC" => text}
          assert_equal Float::INFINITY, SystemdNotifier.take_from(env, clock: @clock).patience_s, text
        end
      end

      def test_a_status_is_one_line_of_valid_text_and_not_too_long
        notifier.ready("the store\nMAINPID=1\r\0 \xFF " + "é" * 1000)
        line = @service.received.first
        assert_equal 2, line.lines.size
        assert_operator line, :start_with?, "READY=1\nSTATUS=the store MAINPID=1 ? é"
        assert_predicate line, :valid_encoding?
        assert_operator line.bytesize, :<, 450
      end

      def test_it_never_raises
        too_long = "x" * 200
        [nil, "", "vsock:2:1", "notify", "/nowhere", "/#{too_long}", "@#{too_long}"].each do |address|
          one = notifier(address:, watchdog_us: 1)
          one.ready("leading")
          one.alive
          one.stopping("storing")
          assert_nil one.close, address.inspect
        end
      end

      def test_ready_is_repeated_until_it_was_sent
        @service.close
        one = notifier
        one.ready("leading")
        @service = ServiceSocket.new(@path)
        2.times { one.ready("leading") }
        assert_equal ["READY=1\nSTATUS=leading"], @service.received
      end

      def test_a_full_socket_does_not_block
        one = notifier
        sent = 0
        # Linux keeps few datagrams for a reader that does not come; the rest is dropped.
        5000.times { |number| one.ready("leading #{sent = number}") }
        assert_equal 4999, sent
        assert_operator @service.received.size, :<, 5000
      end
    end
  end
end
