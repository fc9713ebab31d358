# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "net/http"
require "open3"

class Holdup::Web::CommandTest < Minitest::Test
  include CommandLine

  # @yieldparam port [Integer]
  def serving(*options, env: {})
    Open3.popen3(env, RbConfig.ruby, CommandLine::EXE, "web", "--port", "0",
      *options) do |stdin, _, err, process|
      stdin.close
      address = err.gets
      yield URI(address[%r{http://\S+/}]), process
    ensure
      begin
        Process.kill(:TERM, process.pid)
      rescue Errno::ESRCH
        nil # it has ended already
      end
    end
  end

  def get(uri, **headers)
    Net::HTTP.start(uri.hostname, uri.port) do |http|
      http.get(uri.request_uri, headers.transform_keys(&:to_s))
    end
  end

  def test_serves_this_machine_until_a_signal
    with_store do |path|
      serving("--store", path, env: {"HOLDUP_WEB_AUTH" => nil}) do |address, process|
        answer = get(address)
        assert_equal ["200", "127.0.0.1"], [answer.code, address.hostname]
        assert_includes answer.body, "<h1>Overview</h1>"
        assert_equal "403", get(address, "Host" => "evil.example").code
        Process.kill(:INT, process.pid)
        assert_equal 130, process.value.exitstatus
      end
    end
  end

  def test_others_need_a_password
    said = holdup("web", "--bind", "0.0.0.0")
    assert_equal 2, said.status
    assert_includes said.err, "set HOLDUP_WEB_AUTH=user:password (or none) first"
    assert_match(/can't be "70000"/, holdup("web", "--port", "70000").err)
    assert_match(/can't be "fr"/, holdup("web", "--lang", "fr").err)
    assert_includes holdup("web", "--help").out, "--port N"
  end

  def test_refuses_a_port_that_is_taken
    TCPServer.open("127.0.0.1", 0) do |taken|
      said = holdup("web", "--port", taken.addr[1].to_s)
      assert_equal 1, said.status
      assert_match(/nothing can listen at 127.0.0.1, port \d+ .*; name another with --bind and --port/,
        said.err)
    end
  end
end
