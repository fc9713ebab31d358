# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Exchange::ResponseTest < Minitest::Test
  def status(bytes)
    Holdup::Lab::Exchange::Response.new(bytes.b).status
  end

  def test_status_of_a_whole_answer
    assert_equal 200, status("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
    assert_equal 500, status("HTTP/1.1 500 Internal Server Error\r\ncontent-length:0\r\n\r\n")
    assert_equal 202, status("HTTP/1.0 202 Accepted\r\n\r\nuntil the end")
    assert_equal 200, status("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
  end

  def test_no_status_for_an_answer_that_was_cut_off
    assert_nil status("")
    assert_nil status("HTTP/1.1 200 OK\r\nContent-Le")
    assert_nil status("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell")
    assert_nil status("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
  end

  def test_no_status_for_another_protocol
    assert_nil status("SSH-2.0-OpenSSH\r\n\r\n")
  end
end
