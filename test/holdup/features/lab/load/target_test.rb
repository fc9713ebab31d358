# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::TargetTest < Minitest::Test
  def test_takes_loopback_addresses
    assert_equal 9300, Holdup::Lab::Load::Target.new("http://127.0.0.1:9300").address.ip_port
    assert_equal "127.8.8.8", Holdup::Lab::Load::Target.new("http://127.8.8.8").address.ip_address
    assert_predicate Holdup::Lab::Load::Target.new("http://[::1]:9300/x").address, :ipv6_loopback?
    assert_equal "localhost:80", Holdup::Lab::Load::Target.new("http://localhost").authority
  end

  def test_refuses_every_other_machine_and_says_why
    %w[http://192.0.2.1 http://0.0.0.0:80 http://10.0.0.1:9300 http://[2001:db8::1]].each do |url|
      error = assert_raises(Holdup::UsageError) { Holdup::Lab::Load::Target.new(url) }
      assert_match(/is not this machine; a load only goes to a loopback address/, error.message)
    end
  end

  def test_rejects_an_address_that_is_not_http
    ["https://127.0.0.1", "127.0.0.1:80", "ftp://127.0.0.1", "http://", "http://a b",
      "/etc/hosts"].each do |url|
      error = assert_raises(Holdup::UsageError, url) { Holdup::Lab::Load::Target.new(url) }
      assert_match(/give one such as http:/, error.message)
    end
  end
end
