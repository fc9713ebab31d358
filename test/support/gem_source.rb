# frozen_string_literal: true

require "digest"
require "socket"

# A source of gems on this machine, which Bundler asks as it asks rubygems.org (by the compact index).
class GemSource
  HOST = "127.0.0.1"
  CREATED = "created_at: 2026-01-01T00:00:00Z\n---\n"

  # @param files [Hash{Gem::Specification => String}] and the path of its .gem file
  # @yieldparam source [GemSource] while it serves
  # @return [Object] of the block
  def self.serve(files)
    server = TCPServer.new(HOST, 0)
    source = new(server, files)
    thread = Thread.new { source.accept }
    yield source
  ensure
    thread&.kill&.join
    server&.close
  end

  # @return [Array<String>] names of the .gem files that were asked for
  attr_reader :fetched

  def initialize(server, files)
    @server = server
    @fetched = []
    @files = files.to_h { |spec, path| [spec.file_name, path] }
    by_name = files.keys.group_by(&:name)
    @info = by_name.transform_values { |specs| "---\n#{specs.map { |spec| info(spec) }.join}" }
    @versions = CREATED + by_name.map { |name, specs| versions(name, specs) }.join
  end

  def url = "http://#{HOST}:#{@server.addr[1]}"

  # Serves until its thread is ended.
  # @return [void]
  def accept
    loop do
      socket = @server.accept
      Thread.new(socket) { |client| serve(client) }
    end
  end

  private

  # One request a connection.
  def serve(client)
    path = client.gets.to_s.split[1].to_s
    nil until client.gets.to_s.strip.empty?
    body = content(path)
    client.write("HTTP/1.1 #{body ? "200 OK" : "404 Not Found"}\r\n" \
      "Content-Length: #{body.to_s.bytesize}\r\nConnection: close\r\n\r\n")
    client.write(body) if body
  rescue SystemCallError
    nil # the client has gone
  ensure
    client.close
  end

  def content(path)
    case path
    when "/versions" then @versions
    when %r{\A/info/([\w.-]+)\z} then @info[Regexp.last_match(1)]
    when %r{\A/gems/([\w.-]+\.gem)\z} then gem(Regexp.last_match(1))
    end
  end

  def gem(name)
    @fetched << name
    @files[name] && File.binread(@files[name])
  end

  def versions(name, specs)
    "#{name} #{specs.map { |spec| version(spec) }.join(",")} #{Digest::MD5.hexdigest(@info[name])}\n"
  end

  def version(spec) = spec.full_name.delete_prefix("#{spec.name}-")

  def info(spec)
    needs = spec.runtime_dependencies.map { |one| "#{one.name}:#{requirement(one.requirement)}" }
    checksum = Digest::SHA256.file(@files.fetch(spec.file_name)).hexdigest
    facts = ["checksum:#{checksum}", "ruby:#{requirement(spec.required_ruby_version)}"]
    "#{version(spec)} #{needs.join(",")}|#{facts.join(",")}\n"
  end

  def requirement(requirement) = requirement.requirements.map { |sign, number| "#{sign} #{number}" }.join("&")
end
