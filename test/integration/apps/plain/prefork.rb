# frozen_string_literal: true

require "rack"
require "socket"
require "stringio"

# A forking server as nobody knows it: loads the application, forks workers that answer one request after the
# other, replaces those that end, and takes them along when it has to stop. Its arguments: the application's
# file.
class Prefork
  def initialize(app, port:, workers:)
    @app = app
    @listener = TCPServer.new("127.0.0.1", port)
    @workers = workers
    @stopped = false
  end

  def run
    %i[TERM INT].each { |signal| trap(signal) { stop } }
    @pids = Array.new(@workers) { worker }
    replace(Process.wait) until @stopped
  rescue Errno::ECHILD
    nil
  end

  private

  def stop
    @stopped = true
    @pids&.each { |pid| Process.kill(:TERM, pid) }
  end

  def replace(pid)
    @pids.delete(pid)
    @pids << worker unless @stopped
  end

  def worker
    fork do
      trap(:TERM) { exit }
      loop { answer(@listener.accept) }
    end
  end

  def answer(socket)
    method, target = socket.gets.to_s.split
    return unless target
    nil until ["\r\n", nil].include?(socket.gets)
    path, query = target.split("?", 2)
    status, _, body = @app.call(environment(method, path, query.to_s))
    write(socket, status, body)
  ensure
    body.close if body.respond_to?(:close)
    socket.close
  end

  def environment(method, path, query)
    {"REQUEST_METHOD" => method, "SCRIPT_NAME" => "", "PATH_INFO" => path, "QUERY_STRING" => query,
     "SERVER_NAME" => "127.0.0.1", "SERVER_PORT" => @listener.addr[1].to_s, "SERVER_PROTOCOL" => "HTTP/1.1",
     "rack.url_scheme" => "http", "rack.input" => StringIO.new, "rack.errors" => $stderr}
  end

  def write(socket, status, body)
    socket.write("HTTP/1.1 #{status} -\r\nconnection: close\r\n\r\n")
    body.each { |part| socket.write(part) }
  end
end

app = Rack::Builder.parse_file(ARGV.fetch(0))
Prefork.new(app, port: Integer(ENV.fetch("PORT")), workers: Integer(ENV.fetch("WORKERS", "2"))).run
